const IMAGE = /!\[([^\]]{0,300})\](?:\([^)]{0,2000}\)|\[[^\]]{0,300}\])?/g
const LINK = /\[(?!\^)([^\]]{0,300})\](?:\([^)]{0,2000}\)|\[(?!\^)[^\]]{0,300}\])/g
/** What a reader of Markdown makes a link of by itself, with what would take away the meaning of the mark before it. */
const ADDRESS = /(?<!\\)\\*(?:[a-z][a-z0-9+.-]{0,15}:\/\/|mailto:|javascript:|www\.|[\w.+-]{1,64}@(?=[\w-]))[^\s`<>]+/gi
const CODE = /(`[^`]+`)/

/**
 * A sentence of Markdown that fetches nothing and leads nowhere: no pictures, no links, no HTML, and addresses as code. Anyone who renders an
 * answer must not be made to tell somebody outside what stands in it. Its code ends where it ends, so that it can stand beside others.
 */
export function harmlessMarkdown(sentence: string): string {
  return withoutLooseCode(sentence)
    .split(CODE)
    .map((part, index) => (index % 2 === 1 ? part : harmless(part)))
    .join('')
}

/** A mark behind a backslash begins no code, so that what stands between two of them would be read as Markdown. */
function withoutLooseCode(sentence: string): string {
  const ticks = sentence.match(/\\?`+/g) ?? []
  return ticks.length % 2 === 0 && ticks.every((run) => run === '`') ? sentence : sentence.replaceAll('`', '')
}

/** Twice, since what one of them leaves may be what another looks for. */
function harmless(text: string): string {
  const plain = (each: string) => each.replace(IMAGE, '$1').replace(LINK, '$1')
  return plain(plain(text))
    .replaceAll('<', '&lt;')
    .replace(/\](?=[([:])/g, '] ')
    .replace(ADDRESS, '`$&`')
}
