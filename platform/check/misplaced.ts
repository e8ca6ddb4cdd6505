import { join } from 'node:path'
import { didYouMean } from '#core/did-you-mean.ts'
import type { FileFault } from '#core/file-fault.ts'
import { foldersIn, namesIn } from './read-documents.ts'

const FOLDERS = ['environments', 'profiles', 'rules', 'schedules', 'skills', 'policies']
const EXPECTED = [...FOLDERS, 'knowledge', 'channels.yaml', 'models.yaml']

/** What stands in a data directory and is not read, though it was surely meant to be: a folder or file that is nearly called like one of ours, YAML under another suffix. */
export function misplaced(home: string): FileFault[] {
  const folders = foldersIn(home)
  const others = namesIn(home)
    .filter((name) => !EXPECTED.includes(name) && (folders.includes(name) || /\.(ya?ml|json)$/i.test(name)))
    .flatMap((name): FileFault[] => {
      const hint = didYouMean(name, EXPECTED)
      return hint === '' ? [] : [{ file: name, message: `is not read${hint}` }]
    })
  const inside = FOLDERS.filter((folder) => folder !== 'skills' && folder !== 'policies').flatMap((folder) =>
    namesIn(join(home, folder))
      .filter((name) => /\.(json[5c]?|yam|ymal|yaml\.[a-z]+)$/i.test(name))
      .map(
        (name): FileFault => ({
          file: `${folder}/${name}`,
          message: 'is not read: what stands here ends in .yaml or .yml',
        }),
      ),
  )
  return [...others, ...inside]
}
