import { beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { Preset } from '#core/preset/schema.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { openPresetWorld } from '#test/support/preset-world.ts'
import { addWorkspace } from '#test/support/tenants.ts'

itIsGuarded('listConfigPresets')

const PATH = '/console/api/config-presets'
const OTHER = 'ws_0000000000000000000000000b'

const world = fileFixture(openPresetWorld)
beforeAll(() => addWorkspace(world.database, OTHER, 'other'))

it('lists those of the workspace and of this kind by name, and narrows to a template', async () => {
  for (const name of ['b', 'a']) await world.keep('config', name, { url: name })
  await world.keep('input', 'of another kind', {})
  const read = async (query = '', headers = {}) => {
    const answer = await world.send('GET', `${PATH}${query}`, undefined, headers)
    const names = z
      .array(Preset)
      .parse(await answer.json())
      .map(({ name }) => name)
    expect(answer.headers.get('x-total-count')).toBe(String(names.length))
    return names
  }
  expect(await read()).toEqual(['a', 'b'])
  expect(await read('?pack=incident&template=service-recovery')).toEqual(['a', 'b'])
  expect(await read('?template=other')).toEqual([])
  expect(await read('', { 'x-svc-workspace': OTHER })).toEqual([])
})
