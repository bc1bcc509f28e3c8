import type { Provider } from "./provider.js";

export const sns: Provider = {
  name: "sns",
  title: "Amazon SNS",
  verification: { scheme: "sns" },
  secret: null,
  dedupe: { from: "json", pointer: "/MessageId" },
  dedupeNote: "it is the same in every retry",
  eventType: null,
  handshake: "sns",
  answer: "empty",
  headers: ["x-amz-sns-message-type"],
  sourceFirst: "SNS asks for a confirmation at once.",
  steps: [
    "aws sns subscribe --topic-arn ARN --protocol https --notification-endpoint {url}",
    "The relay confirms by itself: `aws sns list-subscriptions-by-topic` shows an ARN in place of PendingConfirmation.",
  ],
  notes: [
    "Leave raw message delivery off: raw messages have no signature.",
    "Without --topic-arn any topic of any account is taken, once somebody knows the URL.",
    "The destination gets SNS's envelope: your message is the text in its member Message.",
  ],
  reference: "https://docs.aws.amazon.com/sns/latest/dg/sns-http-https-endpoint-as-subscriber.html",
};
