const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i

/** What a browser says of itself, and nobody else has to. */
export interface BrowserRequest {
  method: string
  host: string | undefined
  origin: string | undefined
  /** `Sec-Fetch-Site` */
  site: string | undefined
}

/**
 * Why a server of this machine that asks for no sign-in must refuse: a web page would act in the machine's name, through
 * a name of its own (DNS rebinding) or across sites. Undefined for everybody else.
 */
export function whyForeign({ method, host, origin, site }: BrowserRequest): string | undefined {
  if (host === undefined || !LOOPBACK.test(host)) return 'This server answers only under a loopback name.'
  // a page that sends no referrer hides its origin too, and the browser then says in another header that it is of the same site
  const isSameSite = origin === 'null' && site === 'same-origin'
  const foreign = origin !== undefined && !isSameSite && origin.toLowerCase() !== `http://${host.toLowerCase()}`
  if (foreign || (site === 'cross-site' && method !== 'GET'))
    return 'Requests from other sites are refused while authentication is off.'
  return undefined
}
