const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i

/** Request headers that a browser sends, and other clients may omit. */
export interface BrowserRequest {
  method: string
  host: string | undefined
  origin: string | undefined
  /** `Sec-Fetch-Site` */
  site: string | undefined
}

/**
 * Returns why a server of this machine without sign-in must refuse a request: a web page could act in the machine's name, through a name of
 * its own (DNS rebinding) or across sites. Undefined for other clients.
 */
export function whyForeign({ method, host, origin, site }: BrowserRequest): string | undefined {
  if (host === undefined || !LOOPBACK.test(host)) return 'This server answers only under a loopback name.'
  // a page that sends no referrer hides its origin too; `sec-fetch-site` then tells that it is the same site
  const isSameSite = origin === 'null' && site === 'same-origin'
  const foreign = origin !== undefined && !isSameSite && origin.toLowerCase() !== `http://${host.toLowerCase()}`
  if (foreign || (site === 'cross-site' && method !== 'GET'))
    return 'Requests from other sites are refused while authentication is off.'
  return undefined
}
