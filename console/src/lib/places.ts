/** The address of this very file, which the API serves at `<prefix>/console/assets/…`: it tells the console its prefix. */
const here = import.meta.url

/** Path of the console, with a slash at its end. */
export const CONSOLE_PATH = new URL('..', here).pathname

/** Address of the API, without a slash at its end. */
export const API_URL = new URL('../..', here).href.replace(/\/$/, '')

/** Address of the console's first page; the API takes no path with a slash at its end. */
export const CONSOLE_URL = `${API_URL}/console`

/** The token is behind `#`, which no browser sends and no proxy logs. */
export const invitationLink = (id: string, invite_token: string): string => `${CONSOLE_URL}/join#${id}.${invite_token}`

/** Reads the invitation behind `#` in the address; undefined when the link was cut. */
export function readInvitation(hash: string): { id: string; invite_token: string } | undefined {
  const [id, invite_token] = hash.split('.')
  return id && invite_token ? { id, invite_token } : undefined
}
