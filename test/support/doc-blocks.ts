import { readFileSync } from 'node:fs'

/** The text of a page of `docs`. */
export function readDocPage(page: string): string {
  return readFileSync(new URL(`../../docs/${page}.md`, import.meta.url), 'utf8')
}

/** The blocks of a page of `docs` in a language, in order. */
export function docBlocks(page: string, language: string): string[] {
  return Array.from(
    readDocPage(page).matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g')),
    ([, block = '']) => block,
  )
}
