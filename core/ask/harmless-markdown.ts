const IMAGE = /!\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])?/g
const LINK = /\[(?!\^)([^\]]*)\](?:\([^)]*\)|\[(?!\^)[^\]]*\])/g
/** What a reader of Markdown makes a link of by itself. */
const ADDRESS = /\b(?:[a-z][a-z0-9+.-]{1,15}:\/\/|mailto:|data:|javascript:|www\.)[^\s`<>]+/gi
const CODE = /(`[^`]+`)/

/**
 * A sentence of Markdown that fetches nothing and leads nowhere: no pictures, no links, no HTML, and addresses as code. Whoever renders an
 * answer must not be made to tell somebody outside what stands in it. Its code ends where it ends, so that it can stand beside others.
 */
export function harmlessMarkdown(sentence: string): string {
  return withoutLooseCode(sentence)
    .split(CODE)
    .map((part, index) => (index % 2 === 1 ? part : harmless(part)))
    .join('')
}

function withoutLooseCode(sentence: string): string {
  const ticks = sentence.match(/`+/g) ?? []
  return ticks.length % 2 === 0 && ticks.every((run) => run === '`') ? sentence : sentence.replaceAll('`', '')
}

/** Twice, since what one of them leaves may be what another looks for. */
function harmless(text: string): string {
  const plain = (each: string) => each.replace(IMAGE, '$1').replace(LINK, '$1')
  return plain(plain(text)).replaceAll('<', '&lt;').replace(/\](?=[([])/g, '] ').replace(ADDRESS, '`$&`')
}
