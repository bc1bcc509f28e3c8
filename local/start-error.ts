/** The relay cannot start, for a reason that its user can remove: the message is the whole story. */
export class StartError extends Error {
  override readonly name: string = "StartError";
}

/** What a folder that cannot be written to answers. */
const folderCodes = ["EACCES", "EPERM", "EROFS", "ENOSPC", "EDQUOT", "ENOTDIR", "EEXIST", "EISDIR"];

/** Makes a sentence of an error of the file system or of LevelDB; null: it is something else. */
export function dataFolderProblem(dataDir: string, error: unknown): StartError | null {
  const { cause, code, message } = error as NodeJS.ErrnoException & { cause?: NodeJS.ErrnoException };
  const levelDb = code?.startsWith("LEVEL_") === true;
  if (!levelDb && !folderCodes.includes(code ?? "")) return null;
  const why = levelDb ? (cause?.message ?? message) : message;
  return new StartError(
    `The data folder ${dataDir} cannot be used (${why}): repair it, or set STEADYHOOK_DATA to another folder.`,
    { cause: error },
  );
}
