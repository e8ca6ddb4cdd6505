import { readdir, readFile } from 'node:fs/promises'

const FOLDER = new URL('../../docs/', import.meta.url)
const SCHEME = 'svc://docs/'

export interface DocPage {
  uri: string
  /** its path below `docs` */
  name: string
  title: string
}

let found: Promise<ReadonlyMap<string, DocPage>> | undefined

/** Every page of the documentation, by its address; they come with the program and do not change while it runs. */
export function docPages(): Promise<ReadonlyMap<string, DocPage>> {
  found ??= listPages()
  return found
}

/** Returns the text of a listed page: no input of a caller becomes a path. */
export async function readDoc({ name }: DocPage): Promise<string> {
  return await readFile(new URL(name, FOLDER), 'utf8')
}

async function listPages(): Promise<ReadonlyMap<string, DocPage>> {
  const names = (await readdir(FOLDER, { recursive: true })).filter((name) => name.endsWith('.md')).sort()
  const pages = await Promise.all(
    names.map(async (name) => {
      const page = { uri: `${SCHEME}${name}`, name, title: name }
      return { ...page, title: /^# (.+)$/m.exec(await readDoc(page))?.[1] ?? name }
    }),
  )
  return new Map(pages.map((page) => [page.uri, page]))
}
