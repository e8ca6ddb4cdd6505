type Encode = (text: string) => string[]

/** JSON texts inside of JSON texts: an echo of a body in an error in a report. */
const JSON_LEVELS = 4
const ENCODINGS: Encode[] = [json, percent, base64, hex, shell, html]

/**
 * Returns the forms in which a secret can appear: plain, and JSON-escaped, URL-encoded, base64 (at any offset), hexadecimal, quoted for a
 * shell or HTML-escaped, each also of each other (a JSON body in a command line, a URL in a JSON text).
 */
export function encodedForms(secret: string): string[] {
  const escaped = [secret]
  for (let level = 0; level < JSON_LEVELS; level += 1) escaped.push(...json(escaped.at(-1) ?? '').slice(0, 1))
  const once = [...escaped, ...ENCODINGS.flatMap((encode) => encode(secret))]
  const twice = [...new Set(once)].flatMap((form) => ENCODINGS.flatMap((encode) => encode(form)))
  return [...new Set([...once, ...twice])]
}

function json(text: string): string[] {
  const escaped = JSON.stringify(text).slice(1, -1)
  const ascii = escaped.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  const markup = escaped.replace(
    /[<>&\u2028\u2029]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return [escaped, ascii, markup, escaped.replaceAll('/', '\\/')]
}

function percent(text: string): string[] {
  const wellFormed = text.replace(/\p{Surrogate}/gu, '\ufffd')
  const component = encodeURIComponent(wellFormed)
  const strict = component.replace(/[!'()*~]/g, (unit) => `%${unit.charCodeAt(0).toString(16).toUpperCase()}`)
  const spaced = [component, strict].map((form) => form.replaceAll('%20', '+'))
  const forms = [component, strict, ...spaced, ...inUrl(wellFormed)]
  return [...forms, ...forms.map((form) => form.replace(/%[0-9A-F]{2}/g, (octet) => octet.toLowerCase()))]
}

/** The text as unencoded URLs contain it, in their path, query and host. */
function inUrl(text: string): string[] {
  const url = new URL('http://host/')
  url.pathname = `/${text}`
  url.search = `?${text}`
  const host = URL.canParse(`http://${text}.host/`) ? new URL(`http://${text}.host/`).hostname : ''
  return [
    url.pathname.slice(1),
    url.search.slice(1),
    ...(host.endsWith('.host') ? [host.slice(0, -'.host'.length)] : []),
  ]
}

/** Inside a longer text the encoding depends on the preceding bytes: three offsets, without the digits that neighbours share. */
function base64(text: string): string[] {
  const bytes = new TextEncoder().encode(text)
  const forms = [0, 1, 2].map((offset) => {
    const encoded = digits(Uint8Array.from([...Array.from({ length: offset }, () => 0), ...bytes]))
    const whole = Math.floor(((offset + bytes.length) * 8) / 6)
    return encoded.slice(Math.ceil((offset * 8) / 6), whole)
  })
  return [...forms, ...forms.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))].filter(isLongEnough)
}

function isLongEnough(form: string): boolean {
  return form.length >= 4
}

function digits(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}

function hex(text: string): string[] {
  const lower = Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0')).join('')
  return [lower, lower.toUpperCase()]
}

function shell(text: string): string[] {
  return [text.replaceAll("'", "'\\''")]
}

function html(text: string): string[] {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&#34;')
  return [escaped.replaceAll("'", '&#39;'), escaped.replaceAll('&#34;', '&quot;').replaceAll("'", '&#x27;')]
}
