import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))

/** A file by its place from the root; `text` may be invented, as the planted violations are. */
export interface Source {
  path: string
  text: string
}

export interface Tree {
  code: ts.SourceFile[]
  sql: Source[]
  checker: ts.TypeChecker
}

/** Every file of these folders that is code, a migration or a function of the database. */
export function readFolders(folders: readonly string[]): Source[] {
  return folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
      .filter((path) => /\.(tsx?|mjs)$/.test(path) || /^store\/(migrations|functions)\/.*\.sql$/.test(path))
      .sort()
      .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') })),
  )
}

/** Syntax trees whose names are bound: a name without a declaration in its file is a global. No types are computed. */
export function parse(sources: readonly Source[]): Tree {
  const files = new Map(
    sources
      .filter(({ path }) => !path.endsWith('.sql'))
      .map(({ path, text }) => [`/${path}`, ts.createSourceFile(`/${path}`, text, ts.ScriptTarget.Latest, true)]),
  )
  const program = ts.createProgram({
    rootNames: [...files.keys()],
    options: {
      noLib: true,
      noResolve: true,
      types: [],
      allowJs: true,
      moduleDetection: ts.ModuleDetectionKind.Force,
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.Latest,
    },
    host: {
      getSourceFile: (name) => files.get(name),
      fileExists: (name) => files.has(name),
      readFile: () => undefined,
      writeFile: () => undefined,
      getDefaultLibFileName: () => '/lib.d.ts',
      getCurrentDirectory: () => '/',
      getCanonicalFileName: (name) => name,
      useCaseSensitiveFileNames: () => true,
      getNewLine: () => '\n',
    },
  })
  return {
    code: [...files.values()],
    sql: sources.filter(({ path }) => path.endsWith('.sql')),
    checker: program.getTypeChecker(),
  }
}

export const pathOf = (file: ts.SourceFile) => file.fileName.slice(1)
