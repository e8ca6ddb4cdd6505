/** The address of this very file, which the API serves at `<prefix>/console/assets/…`: it tells the console its prefix. */
const here = import.meta.url

/** Path of the console, with a slash at its end. */
export const CONSOLE_PATH = new URL('..', here).pathname

/** Address of the API, without a slash at its end. */
export const API_URL = new URL('../..', here).href.replace(/\/$/, '')

/** Address of the console's first page; the API takes no path with a slash at its end. */
export const CONSOLE_URL = `${API_URL}/console`
