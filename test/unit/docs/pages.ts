import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** The folders at the top that hold code, content or pages. */
export const FOLDERS = readdirSync(ROOT, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
  .map(({ name }) => name)

/** Every page that people read in the repository, as a path from its root. */
export const PAGES: string[] = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => `docs/${path}`),
  ...FOLDERS.map((folder) => `${folder}/README.md`).filter((path) => existsSync(join(ROOT, path))),
]

export function textOf(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8')
}

/** What stands outside of code blocks. */
export function proseOf(page: string): string {
  return textOf(page).replace(/^```[\s\S]*?^```/gm, '')
}

/** What is written as code within sentences: `like this`. */
export function codeIn(page: string): string[] {
  return [...proseOf(page).matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code)
}

/** The lines of code blocks, joined where they end with a backslash. */
export function codeLines(page: string): string[] {
  const blocks = [...textOf(page).matchAll(/^```[^\n]*\n([\s\S]*?)^```/gm)].map(([, block = '']) => block)
  return blocks.flatMap((block) => block.replaceAll(/\\\n\s*/g, ' ').split('\n'))
}
