import type { ConsoleFiles } from '#platform/console/console-files.ts'
import type { ApiContext } from '../context.ts'
import { HTML, PAGE_HEADERS, PAGE_POLICY, page } from './page.ts'

/** Only our own files, only to our own server; nothing written into the page runs. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
].join('; ')
const RETRY_S = 2

/** Serves the page of every address of the console. It contains no data: it loads them from the API. */
export function showConsole(c: ApiContext, { index }: ConsoleFiles): Response {
  const html = index.replaceAll('"./assets/', `"${aboveOf(c.get('full_path'))}assets/`)
  return c.body(html, 200, { ...HTML, 'cache-control': 'no-cache', 'content-security-policy': POLICY })
}

/**
 * Returns the relative path from the page to `/console/`, since a proxy may add a prefix. `/console` itself has no final slash, so relative
 * links resolve in the folder above.
 */
function aboveOf(path: string): string {
  const below = path.slice(path.indexOf('/console') + '/console'.length).split('/').length - 1
  return below === 0 ? 'console/' : `./${'../'.repeat(below - 1)}`
}

/** A file of the build; its name changes with its content. */
export function showAsset(c: ApiContext, { assets }: ConsoleFiles, path: string): Response | undefined {
  const file = assets.get(path)
  if (file === undefined) return undefined
  const gzipped = /\bgzip\b/.test(c.req.header('accept-encoding') ?? '')
  return c.body(gzipped ? file.gzipped : file.body, 200, {
    'content-type': file.media,
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'Accept-Encoding',
    ...(gzipped ? { 'content-encoding': 'gzip' } : {}),
  })
}

/** Answers in place of the console until its build has ended. */
export function noConsole(c: ApiContext, why: 'building' | 'failed'): Response {
  const words =
    why === 'building'
      ? 'The console is being built, which takes some seconds after the first start. Load this page again.'
      : 'The console could not be built here. The log of the API says why; the API and the command line work without it.'
  const headers = { ...HTML, ...PAGE_HEADERS, 'content-security-policy': PAGE_POLICY }
  const again = why === 'building' ? { 'retry-after': String(RETRY_S) } : {}
  return c.body(page('Console', ['<h1>No console yet</h1>', `<p>${words}</p>`]), 503, { ...headers, ...again })
}
