import { rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isRemoved, readStill, STILL_MS } from '#platform/still-file.ts'
import { temporaryFolder } from './packs/pack-folder.ts'

let folder: ReturnType<typeof temporaryFolder>
let file: string

beforeEach(() => {
  folder = temporaryFolder()
  folder.write({ 'a.yaml': 'name: a\n' })
  file = join(folder.root, 'a.yaml')
})
afterEach(() => folder.remove())

const later = (path: string, ms: number) => {
  const at = Math.floor(statSync(path).mtimeMs)
  return { clock: () => at + ms }
}

describe('a file that may be being written', () => {
  it('is taken when it has been still, and not again while nothing changes', () => {
    expect(readStill(file, undefined, later(file, STILL_MS - 1))).toBe('moving')
    const found = readStill(file, undefined, later(file, STILL_MS))
    expect(found).toMatchObject({ bytes: Buffer.from('name: a\n') })
    const stamp = typeof found === 'string' ? '' : found.stamp
    expect(readStill(file, stamp, later(file, 0))).toBe('same')
    writeFileSync(file, '')
    expect(readStill(file, stamp, later(file, 0))).toBe('moving')
  })

  it('is taken as it is where a process starts', () => {
    expect(readStill(file, undefined, { ...later(file, 0), as_it_is: true })).toMatchObject({
      bytes: Buffer.from('name: a\n'),
    })
  })

  it('is not taken when it changes while it is read', () => {
    const options = {
      ...later(file, STILL_MS),
      // asked for between the first look and the read
      get as_it_is() {
        writeFileSync(file, 'name: a, and more\n')
        return false
      },
    }
    expect(readStill(file, undefined, options)).toBe('moving')
  })

  it('is taken with a time far ahead, which is that of another clock', () => {
    expect(readStill(file, undefined, later(file, -60_000))).toMatchObject({ bytes: expect.anything() })
  })

  it('is gone when its folder has been still without it', () => {
    rmSync(file)
    expect(readStill(file, undefined)).toBe('missing')
    expect(isRemoved(file, later(folder.root, STILL_MS - 1))).toBe(false)
    expect(isRemoved(file, later(folder.root, STILL_MS))).toBe(true)
    expect(isRemoved(file, { ...later(folder.root, 0), as_it_is: true })).toBe(true)
  })
})
