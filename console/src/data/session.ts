/** Who serves this page: the local relay, which asks for nothing, or `steadyhook console`, which asks for its token. */

const storageName = "steadyhook-console";

/**
 * Takes the token out of the URL's fragment, where `steadyhook console` put it, and keeps it for this tab: it must not
 * stay where a bookmark or a screenshot takes it along.
 */
export function takeToken({ location, history, sessionStorage }: Window): string | null {
  const given = /^#token=([A-Za-z0-9_-]+)$/.exec(location.hash)?.[1];
  if (given !== undefined) {
    sessionStorage.setItem(storageName, given);
    history.replaceState(null, "", "#/");
  }
  return sessionStorage.getItem(storageName);
}
