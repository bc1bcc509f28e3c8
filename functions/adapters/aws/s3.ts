// The calls of S3 that we make. Loaded by `import()`: a bundler keeps every command of a package that is imported
// dynamically as a whole, and only what is named here of this file.
export {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
