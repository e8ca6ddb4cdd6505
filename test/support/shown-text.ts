/** What an approver read, turned back into what it stands for: marks into the secrets of those names, escapes into their characters. */
export function readBack(shown: string, secrets: Record<string, string> = {}): string {
  return shown
    .split(/(<secret:[^<>]*>)/)
    .map((part) => {
      const name = /^<secret:([^<>]*)>$/.exec(part)?.[1]
      return name === undefined ? unescaped(part) : (secrets[name] ?? part)
    })
    .join('')
}

function unescaped(text: string): string {
  return text.replace(/\\u\{([0-9a-f]+)\}/g, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))
}

export interface ShownRequest {
  method: string
  url: string
  headers: Record<string, string>
  body: string
}

/** A curl line as a shell and curl understand it. */
export function readCurl(line: string): ShownRequest {
  const [program, ...args] = shellWords(line)
  if (program !== 'curl') throw new Error(`not a curl line: ${line}`)
  const request: ShownRequest = { method: 'GET', url: '', headers: {}, body: '' }
  for (let word = args.shift(); word !== undefined; word = args.shift()) {
    if (word === '-X') request.method = args.shift() ?? ''
    else if (word === '--head') request.method = 'HEAD'
    else if (word === '-H') addHeader(request, args.shift() ?? '')
    else if (word === '--data-raw') request.body = args.shift() ?? ''
    else if (word !== '--globoff') request.url = word
  }
  return request
}

function addHeader({ headers }: ShownRequest, text: string): void {
  const name = text.split(/[:;]/, 1)[0] ?? ''
  if (text === `${name};`) headers[name] = ''
  else if (text !== `${name}:`) headers[name] = text.slice(name.length + 2)
}

/** Words of a POSIX shell: single quotes, and a backslash before a quote. */
function shellWords(line: string): string[] {
  const words: string[] = []
  const word = /(?:'[^']*'|\\'|[^\s'\\])+/gy
  for (let at = 0; at < line.length; at = word.lastIndex + 1) {
    word.lastIndex = at
    const [text] = word.exec(line) ?? []
    if (text === undefined) throw new Error(`not a word at ${at}: ${line}`)
    words.push(text.replace(/'([^']*)'|\\(')/g, (_, quoted: string | undefined, single: string) => quoted ?? single))
  }
  return words
}
