import { describe, expect, test } from 'vitest'
import { fieldsOf, type SettingsFlags, settingsOf, settingsOfFile } from '#cli/commands/connections/draft-of.ts'
import { readSecret } from '#cli/commands/connections/save-connection.ts'
import { CONNECTION_FORMS } from '#core/connection/kind-schema.ts'

const DATABASE = { host: 'db.example.com', port: 5432, database: 'app', user: 'svc', sslmode: 'require' }
const before = { kind: 'postgres' as const, config: DATABASE }
const placed = (flags: Partial<SettingsFlags>, file: object = {}, stored: typeof before | null = before) =>
  settingsOf({ set: [], ...flags }, settingsOfFile({ ...file }), {
    before: stored ?? undefined,
    forms: CONNECTION_FORMS,
  })

describe('the place of a connection', () => {
  test('is what options say over the file, and both over what there is', () => {
    expect(placed({ set: ['port=6432', 'database=42'] }).config).toEqual({ ...DATABASE, port: 6432, database: '42' })
    expect(placed({ set: ['sslmode='] }).config).not.toHaveProperty('sslmode')
    expect(placed({ set: ['user=ann'] }, { config: { host: 'a' }, workspaces: ['*'] })).toEqual({
      config: { host: 'a', user: 'ann' },
      workspaces: ['*'],
    })
    expect(placed({ auth: 'none' })).toEqual({ auth: 'none' })
  })

  test('takes nothing along to another kind', () => {
    expect(placed({ kind: 'http', set: ['base_url=https://a.example.com/'] })).toEqual({
      kind: 'http',
      config: { base_url: 'https://a.example.com/' },
    })
  })

  test('is read by what each setting takes', () => {
    const { config } = placed({ kind: 'http', set: ['scopes=read, offline_access'] })
    expect(config).toEqual({ scopes: ['read', 'offline_access'] })
    expect(placed({ kind: 's3', set: ['path_style=false'] }).config).toEqual({ path_style: false })
  })

  test.each<[string, () => unknown, string]>([
    ['without a kind', () => placed({}, {}, null), '--kind says what it is: http, postgres'],
    ['of a misspelt kind', () => placed({}, { kind: 'postgress' }), 'did you mean postgres?'],
    ['with a misspelt setting', () => placed({ set: ['databse=app'] }), 'did you mean database?'],
    ['with a misspelt key', () => placed({}, { konfig: {} }), 'did you mean config?'],
    ['with the secret in its file', () => placed({}, { secret: 'opensesame' }), 'does not belong in this file'],
  ])('%s is refused', (_what, place, message) => {
    expect(place).toThrow(
      expect.objectContaining({ code: 'validation_failed', message: expect.stringContaining(message) }),
    )
  })
})

test('every setting of a kind is told with what it takes', () => {
  const [, form] = CONNECTION_FORMS
  expect(
    fieldsOf(form ?? { schema: {} }).map(({ name, takes, needed, usual }) => [name, takes, needed, usual]),
  ).toEqual([
    ['host', 'string', true, ''],
    ['port', 'integer', false, '5432'],
    ['database', 'string', true, ''],
    ['user', 'string', true, ''],
    ['sslmode', 'disable|prefer|require|verify-full', false, 'require'],
  ])
})

test('a secret is read to its last line break, is never empty, and is asked for at a terminal alone', async () => {
  const piped = (text: string) => ({ interactive: false, readInput: async () => text })
  expect(await readSecret(piped(' open sesame \r\n'), { secretStdin: true }, true)).toBe(' open sesame ')
  await expect(readSecret(piped('\n'), { secretStdin: true }, true)).rejects.toMatchObject({
    code: 'validation_failed',
  })
  await expect(readSecret(piped(''), { secretFile: '/no/such/file' }, true)).rejects.toMatchObject({
    code: 'validation_failed',
  })
  expect(await readSecret(piped('unread'), {}, true)).toBeUndefined()
})
