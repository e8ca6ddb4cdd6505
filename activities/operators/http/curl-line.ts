import type { ShownText } from '#core/operator.ts'

export interface ShownRequest {
  method: string
  url: string
  headers: Record<string, string>
  /** name of the connection that adds its credentials as `authorization` */
  credentials?: string
  body?: string
}

/** A request as a command line that would send it, to the letter; only the credentials of a connection stand by its name. */
export function curlLine({ method, url, headers, credentials, body }: ShownRequest): ShownText {
  const sent: ShownText[] = Object.entries(headers).map(([name, value]) => quote(headerText(name, value)))
  if (credentials !== undefined) sent.push(["'authorization: ", { secret: credentials }, "'"])
  // curl would name a type of its own choice
  if (body !== undefined && headers['content-type'] === undefined) sent.push(quote('content-type:'))
  return [
    `curl ${method === 'HEAD' ? '--head' : `-X ${method}`}${/[[\]{}]/.test(url) ? ' --globoff' : ''} ${quote(url)}`,
    ...sent.flatMap((header) => [' -H ', ...[header].flat()]),
    ...(body === undefined ? [] : [` --data-raw ${quote(body)}`]),
  ]
}

/** curl leaves a header out whose value is empty, unless it ends in a semicolon. */
function headerText(name: string, value: string): string {
  return value === '' ? `${name};` : `${name}: ${value}`
}

/** One argument of a shell's command line, to the letter. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
