const IMAGE = /!\[([^\]]{0,300})\](?:\([^)]{0,2000}\)|\[[^\]]{0,300}\])?/g
const LINK = /\[(?!\^)([^\]]{0,300})\](?:\([^)]{0,2000}\)|\[(?!\^)[^\]]{0,300}\])/g
/** Text that a Markdown renderer turns into a link, with the backslashes before it, which would disable the mark that is put there. */
const ADDRESS = /(?<!\\)\\*(?:[a-z][a-z0-9+.-]{0,15}:\/\/|mailto:|javascript:|www\.|[\w.+-]{1,64}@(?=[\w-]))[^\s`<>]+/gi
const CODE = /(`[^`]+`)/

/**
 * Returns a sentence of Markdown that loads and links nothing: no pictures, no links, no HTML, and addresses as code. Rendering an answer
 * must not leak its content to another host. Code spans are closed, so that sentences can be joined.
 */
export function harmlessMarkdown(sentence: string): string {
  return withoutLooseCode(sentence)
    .split(CODE)
    .map((part, index) => (index % 2 === 1 ? part : harmless(part)))
    .join('')
}

/** A backtick behind a backslash opens no code span, so the text between two of them would be read as Markdown. */
function withoutLooseCode(sentence: string): string {
  const ticks = sentence.match(/\\?`+/g) ?? []
  return ticks.length % 2 === 0 && ticks.every((run) => run === '`') ? sentence : sentence.replaceAll('`', '')
}

/** Twice, since the rest that one of them leaves may match the other. */
function harmless(text: string): string {
  const plain = (each: string) => each.replace(IMAGE, '$1').replace(LINK, '$1')
  return plain(plain(text))
    .replaceAll('<', '&lt;')
    .replace(/\](?=[([:])/g, '] ')
    .replace(ADDRESS, '`$&`')
}
