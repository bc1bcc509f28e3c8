import { readSnsMessage, type SnsMessage, snsSignatureProblem } from "../../handshakes/sns-message.js";
import { certificateName } from "../../handshakes/sns-urls.js";
import type { Scheme, Walk } from "../scheme.js";

const topicPattern = /^arn:aws[a-z-]*:sns:[a-z0-9-]{1,32}:\d{12}:[A-Za-z0-9_-]{1,256}(\.fifo)?$/;

/**
 * Messages of Amazon SNS to an HTTPS endpoint, notifications and confirmations: an RSA signature in the JSON body under
 * a certificate that SNS publishes at its own hosts. Whoever has an AWS account can have SNS sign messages of a topic
 * of theirs: `topicArn` says which one is meant. Raw delivery has no signature, and is refused.
 *
 * Source: Amazon SNS's "Verifying the signatures of Amazon SNS messages".
 */
export const sns: Scheme = {
  summary: "SNS signs with its own certificate, which the relay fetches; the message is the JSON body",
  secret: null,
  defaultToleranceSeconds: null,
  requires: [],
  allows: ["topicArn"],
  problems: ({ topicArn }) =>
    topicArn === undefined || topicPattern.test(topicArn)
      ? []
      : [
          {
            field: "verification.topicArn",
            reason: "must be a topic's ARN: arn:aws:sns:eu-central-1:111122223333:orders",
          },
        ],
  secretProblem: () => null,
  check(walk) {
    const { trace, request } = walk;
    const message = readSnsMessage(request.body);
    if (message === null) {
      return trace.fail("message", "is not SNS's JSON (raw message delivery has no signature)", "no message of SNS");
    }
    trace.pass("message", `is a ${message.Type}`);
    if (!isOfTopic(walk, message)) return null;
    const name = certificateName(message.SigningCertURL);
    if (name === null) {
      const reason = "its certificate is not at SNS itself";
      return trace.fail(
        "certificate URL",
        "is not https://sns.<region>.amazonaws.com/SimpleNotificationService-….pem",
        reason,
      );
    }
    trace.pass("certificate URL", `names ${name}`);
    return checkSignature(walk, message, name);
  },
};

function isOfTopic({ verification, trace }: Walk, { TopicArn }: SnsMessage): boolean {
  const { topicArn } = verification;
  if (topicArn === undefined) trace.pass("topic", "may be any");
  else if (TopicArn === topicArn) trace.pass("topic", `is ${topicArn}`);
  else trace.fail("topic", `is another than ${topicArn}`, "the message is of another topic");
  return topicArn === undefined || TopicArn === topicArn;
}

function checkSignature({ trace, request }: Walk, message: SnsMessage, name: string): string | null {
  const { certificatePem = null, nowMs } = request;
  if (certificatePem === null)
    return trace.fail("certificate", "SNS has none at this URL", "its certificate does not exist");
  const problem = snsSignatureProblem(message, certificatePem, nowMs);
  if (problem !== null) return trace.fail("signature", `version ${version(message)}: ${problem}`, problem);
  trace.pass("signature", `version ${version(message)}, under ${name}`);
  return name;
}

/** Of what the sender wrote no more than can be meant. */
const version = ({ SignatureVersion }: SnsMessage): string => SignatureVersion.slice(0, 8);
