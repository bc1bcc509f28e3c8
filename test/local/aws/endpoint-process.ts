import { startLocalAws } from "../../../local/aws/endpoint.js";

/** Runs as a process of its own: the endpoint on the folder that is named, its URL as the first line. */
const [dataDir = ""] = process.argv.slice(2);
startLocalAws({ dataDir }).then(
  (aws) => console.log(aws.url),
  (error: unknown) => {
    console.error((error as Error).message);
    process.exit(1);
  },
);
