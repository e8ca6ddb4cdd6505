import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

/** A file of the build, with its headers. */
export interface ConsoleFile {
  media: string
  body: Uint8Array<ArrayBuffer>
  gzipped: Uint8Array<ArrayBuffer>
}

/** The build for the browser: the page, and its files by path. Nothing else is public. */
export interface ConsoleFiles {
  index: string
  assets: ReadonlyMap<string, ConsoleFile>
}

const MEDIA: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
}
const pack = promisify(gzip)

/** Reads a build into memory: requests are looked up there, and no path of a request reaches a disk. */
export async function readConsoleFiles(folder: string): Promise<ConsoleFiles> {
  const names = await readdir(join(folder, 'assets'))
  const assets = await Promise.all(
    names.flatMap((name) => {
      const media = MEDIA[extname(name)]
      return media === undefined ? [] : [readAsset(folder, `assets/${name}`, media)]
    }),
  )
  return { index: await readFile(join(folder, 'index.html'), 'utf8'), assets: new Map(assets) }
}

async function readAsset(folder: string, path: string, media: string): Promise<[string, ConsoleFile]> {
  const body = new Uint8Array(await readFile(join(folder, path)))
  return [path, { media, body, gzipped: new Uint8Array(await pack(body, { level: 9 })) }]
}
