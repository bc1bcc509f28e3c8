import type { Handshake } from "../model.js";
import { recogniseDropbox } from "./dropbox.js";
import { recogniseGraph } from "./graph.js";
import { recogniseMeta } from "./meta.js";
import type { HandshakeRequest, RecognisedHandshake } from "./recognised.js";
import { recogniseSlack } from "./slack.js";
import { recogniseSns } from "./sns.js";
import { recogniseTwitch } from "./twitch.js";
import { recogniseZoom } from "./zoom.js";

/** The handshake that a request asks for; null: it is an event as any other. Never throws, whatever is sent. */
export function recogniseHandshake(handshake: Handshake, request: HandshakeRequest): RecognisedHandshake | null {
  switch (handshake.kind) {
    case "slack":
      return recogniseSlack(request);
    case "meta":
      return recogniseMeta(request);
    case "zoom":
      return recogniseZoom(request);
    case "graph":
      return recogniseGraph(request);
    case "twitch":
      return recogniseTwitch(request);
    case "dropbox":
      return recogniseDropbox(request);
    case "sns":
      return recogniseSns(request);
    default:
      // Written by a later version: without its code nothing is a handshake, and the verification decides.
      return null;
  }
}
