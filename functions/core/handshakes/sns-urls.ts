/** URLs that a message of SNS may name. Nothing else is ever fetched for one, whatever it says. */

/** The service's own hosts, all regions of all partitions that have it at this name. No bucket, no other service. */
const snsHost = /^sns\.[a-z]{2}(-[a-z]+){1,3}-\d{1,2}\.amazonaws\.com(\.cn)?$/;

/** Where the service keeps its certificates. The same hosts answer API calls with texts of others: no query, ever. */
const certificatePath = /^\/(SimpleNotificationService-[A-Za-z0-9]{1,64})\.pem$/;

/** The name of the signing certificate at this URL; null unless it is one of SNS's own. */
export function certificateName(text: string): string | null {
  const url = snsUrl(text);
  const [, name] = (url !== null && url.search === "" && certificatePath.exec(url.pathname)) || [];
  return name ?? null;
}

interface Confirmation {
  readonly TopicArn: string;
  readonly Token?: string;
  readonly SubscribeURL?: string;
}

/** What is wrong with the URL of a confirmation: it must confirm this topic, with this token, at SNS itself. */
export function confirmationProblem(message: Confirmation): string | null {
  const { SubscribeURL = "", TopicArn, Token } = message;
  const url = snsUrl(SubscribeURL);
  if (url === null) return "its SubscribeURL is not at https://sns.<region>.amazonaws.com";
  const { pathname, searchParams } = url;
  const confirms =
    pathname === "/" &&
    searchParams.get("Action") === "ConfirmSubscription" &&
    searchParams.get("TopicArn") === TopicArn &&
    searchParams.get("Token") === Token;
  return confirms ? null : "its SubscribeURL confirms something else";
}

/** Null unless it is https on a host of SNS, without port, user and fragment, and written as it is read. */
function snsUrl(text: string): URL | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const plain = url.protocol === "https:" && snsHost.test(url.host) && url.username === "" && url.password === "";
  return plain && url.hash === "" && text === `https://${url.host}${url.pathname}${url.search}` ? url : null;
}
