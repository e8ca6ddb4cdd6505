import { readFileSync } from 'node:fs'

/** The blocks of a page of `docs` in a language, in order. */
export function docBlocks(page: string, language: string): string[] {
  const text = readFileSync(new URL(`../../docs/${page}.md`, import.meta.url), 'utf8')
  return Array.from(text.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g')), ([, block = '']) => block)
}
