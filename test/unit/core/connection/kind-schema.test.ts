import { describe, expect, test } from 'vitest'
import { credentialsOf } from '#activities/operators/http/target.ts'
import { connectionTarget } from '#activities/operators/postgres/connection-target.ts'
import {
  addressOf,
  CONNECTION_FORMS,
  type ConnectionSettings,
  checkSettings,
  connectionUrl,
} from '#core/connection/kind-schema.ts'
import { s3Location, s3ObjectUrl } from '#core/connection/kinds/s3-schema.ts'
import { smtpAddress } from '#core/connection/kinds/smtp-schema.ts'
import { OperatorError } from '#core/operator.ts'

const http = (
  config: ConnectionSettings['config'],
  auth: ConnectionSettings['auth'] = 'bearer',
): ConnectionSettings => ({
  kind: 'http',
  auth,
  config: { base_url: 'https://api.example.com/v1/', ...config },
})
const oauth = (config: ConnectionSettings['config'] = {}): ConnectionSettings =>
  http({ issuer: 'https://login.example.com', client_id: 'svc', ...config }, 'oauth2')
const database = (config: ConnectionSettings['config'] = {}): ConnectionSettings => ({
  kind: 'postgres',
  auth: 'basic',
  config: { host: 'db.example.com', database: 'app', user: 'svc', ...config },
})
const checked = (draft: ConnectionSettings) => {
  const checked = checkSettings(draft)
  if ('faults' in checked) throw new Error(JSON.stringify(checked.faults))
  return checked.settings
}

const mail = (config: ConnectionSettings['config'] = {}): ConnectionSettings => ({
  kind: 'smtp',
  auth: 'basic',
  config: { host: 'mail.example.com', user: 'svc', ...config },
})
const ENDPOINTS = {
  authorization_endpoint: 'https://login.example.com/authorize',
  token_endpoint: 'https://login.example.com/token',
}

const tools = (config: ConnectionSettings['config']): ConnectionSettings => ({
  kind: 'mcp',
  auth: 'bearer',
  config: { url: 'https://tools.example.com/mcp', ...config },
})

// what a url would read as something else
const SECRET = 'p%41@ss:w/o?r#d +ü'

describe('a url', () => {
  test('of a token is read back by the operator as that token', () => {
    const url = connectionUrl(http({}), SECRET)
    expect(credentialsOf({ kind: 'http', url })).toEqual({ authorization: `Bearer ${SECRET}` })
  })

  test('of a user and a password is read back as those', () => {
    const url = connectionUrl(http({ user: 'a:b' }, 'basic'), SECRET)
    const basic = Buffer.from(`a:b:${SECRET}`).toString('base64')
    expect(credentialsOf({ kind: 'http', url })).toEqual({ authorization: `Basic ${basic}` })
  })

  test('without authentication has no credentials', () => {
    expect(credentialsOf({ kind: 'http', url: connectionUrl(http({}, 'none'), '') })).toEqual({})
  })

  test('of a database leads where the fields say, whatever the password contains', () => {
    const url = connectionUrl(checked(database({ user: 'a@b' })), `${SECRET}@evil.example.com/other`)
    expect(connectionTarget({ kind: 'postgres', url })).toEqual({
      kind: 'postgres',
      host: 'db.example.com:5432',
      database: 'app',
      user: 'a@b',
      parameters: { sslmode: 'require' },
    })
  })
})

describe('a url of a mail server', () => {
  const read = (draft: ConnectionSettings) =>
    connectionTarget({ kind: 'smtp', url: connectionUrl(checked(draft), SECRET) })

  test('has the port and the TLS mode of the fields, and the password as it was given', () => {
    const parameters = (tls: string) => ({ kind: 'smtp', user: 'svc', parameters: { tls } })
    expect(read(mail())).toEqual({ ...parameters('starttls'), host: 'mail.example.com:587' })
    expect(read(mail({ tls: 'implicit' }))).toEqual({ ...parameters('implicit'), host: 'mail.example.com:465' })
    const near = mail({ host: '127.0.0.1', port: 1025, tls: 'none' })
    expect(read(near)).toEqual({ ...parameters('none'), host: '127.0.0.1:1025' })
    expect(smtpAddress(connectionUrl(checked(mail()), SECRET))).toMatchObject({ pass: SECRET })
  })
})

describe('a bucket', () => {
  const bucket = (config: ConnectionSettings['config'] = {}): ConnectionSettings => ({
    kind: 's3',
    auth: 'key',
    config: { endpoint: 'https://s3.example.com:9000/', bucket: 'kept', access_key_id: 'test:tester', ...config },
  })

  test('is read back as it was written, whatever the secret contains', () => {
    const url = connectionUrl(checked(bucket({ prefix: 'a/b/', region: 'eu-1', path_style: false })), SECRET)
    expect(s3Location({ kind: 's3', url })).toEqual({
      ...{ endpoint: 'https://s3.example.com:9000', region: 'eu-1', bucket: 'kept', prefix: 'a/b/' },
      ...{ access_key_id: 'test:tester', secret_access_key: SECRET, path_style: false },
    })
    expect(connectionTarget({ kind: 's3', url })).toEqual({
      kind: 's3',
      host: 's3.example.com:9000',
      base_url: 'https://s3.example.com:9000/kept/a/b/',
      user: 'test:tester',
      parameters: { region: 'eu-1', path_style: 'false' },
    })
  })

  test('is another address with another endpoint or bucket, and the same with another prefix', () => {
    const address = addressOf(checked(bucket()))
    expect(addressOf(checked(bucket({ prefix: 'x', region: 'eu-2' })))).toBe(address)
    expect(addressOf(checked(bucket({ bucket: 'other' })))).not.toBe(address)
    expect(addressOf(checked(bucket({ endpoint: 'http://s3.example.com:9000' })))).not.toBe(address)
  })

  test.each(['', 's3://kept', 's3+https://a@s3.example.com/kept', 's3+https://a:b@s3.example.com', 'https://a:b@s3/x'])(
    'is not read of %j',
    (url) => {
      expect(() => s3Location({ kind: 's3', url })).toThrow(OperatorError)
    },
  )

  test('has a url for each object', () => {
    const settings = (path_style: boolean) =>
      s3Location({ kind: 's3', url: connectionUrl(checked(bucket({ path_style })), SECRET) })
    expect(s3ObjectUrl(settings(true), 'a b/é')).toBe('https://s3.example.com:9000/kept/a%20b/%C3%A9')
    expect(s3ObjectUrl(settings(false), 'a')).toBe('https://kept.s3.example.com:9000/a')
  })
})

describe('settings', () => {
  test.each<[string, ConnectionSettings, string]>([
    ['credentials in the url', http({ base_url: 'https://user:secret@api.example.com/' }), 'base_url'],
    ['a query', http({ base_url: 'https://api.example.com/?key=1' }), 'base_url'],
    ['another scheme', http({ base_url: 'file:///etc/passwd' }), 'base_url'],
    ['a field that means nothing', http({ token: 'secret' }), ''],
    ['basic authentication without a user', http({}, 'basic'), 'user'],
    ['a user without basic authentication', http({ user: 'ann' }), 'user'],
    ['a user that would be cut at its colon', http({ user: 'ann:b' }, 'basic'), 'user'],
    ['a host that is no address', database({ host: '[::::]' }), 'host'],
    ['a host that ends in a number', database({ host: '999.999.999.999' }), 'host'],
    ['a host that is no name', database({ host: 'xn--a' }), 'host'],
    ['OAuth without an issuer', http({ client_id: 'svc' }, 'oauth2'), 'issuer'],
    ['OAuth without a client', http({ issuer: 'https://login.example.com' }, 'oauth2'), 'client_id'],
    ['one endpoint of two', oauth({ token_endpoint: 'https://login.example.com/token' }), 'authorization_endpoint'],
    ['an issuer without TLS', oauth({ issuer: 'http://login.example.com' }), 'issuer'],
    ['an issuer in letters that look like others', oauth({ issuer: 'https://login.\u0435xample.com' }), 'issuer'],
    ['an issuer whose host ends before it seems to', oauth({ issuer: 'https://evil.test\\.example.com/' }), 'issuer'],
    [
      'an endpoint whose host is written as a number',
      oauth({ ...ENDPOINTS, token_endpoint: 'https://0x7f.1/' }),
      'token_endpoint',
    ],
    ['a scope of two words', oauth({ scopes: ['read write'] }), 'scopes/0'],
    ['an issuer without OAuth', http({ issuer: 'https://login.example.com' }), 'issuer'],
    ['a socket', database({ host: '/var/run/postgresql' }), 'host'],
    ['two hosts', database({ host: 'a.example.com,b.example.com' }), 'host'],
    ['a host with a user', database({ host: 'ann@a.example.com' }), 'host'],
    ['settings behind the database', database({ database: 'app?host=/tmp' }), 'database'],
    ['a port that is none', database({ port: 70_000 }), 'port'],
    ['mail to another machine without TLS', mail({ tls: 'none' }), 'tls'],
    ['a mail server without its user', { ...mail(), config: { host: 'mail.example.com' } }, 'user'],
  ])('with %s is refused at its field', (_what, draft, field) => {
    const checked = checkSettings(draft)
    expect('faults' in checked && checked.faults.map(({ path }) => path.join('/'))).toEqual([
      field === '' ? 'config' : `config/${field}`,
    ])
  })

  test.each([
    ['https://evil.example.com\\.example.org/', 'https://evil.example.com/.example.org/'],
    ['https://\u0435xample.com/', 'https://xn--xample-2of.com/'],
    ['https://a\u00adb.example.com/', 'https://ab.example.com/'],
    ['http://0x7f.1/', 'http://127.0.0.1/'],
    ['https://api.example.com/v1/../v2/', 'https://api.example.com/v2/'],
  ])('%s is shown as where the secret goes: %s', (base_url, sent) => {
    expect(checked(http({ base_url })).config['base_url']).toBe(sent)
  })

  test.each([
    'https://login.example.com',
    'https://Login.example.com:8443/realms/a',
    'https://[2001:db8::1]/',
    'http://localhost:8080',
  ])('the issuer %s stays as it is written', (issuer) => {
    expect(checked(oauth({ issuer })).config['issuer']).toBe(issuer)
  })

  test.each([
    ['DB.Example.com', 'db.example.com'],
    ['2130706433', '127.0.0.1'],
    ['[0:0::1]', '[::1]'],
  ])('the host %s is shown as %s', (host, shown) => {
    expect(checked(database({ host })).config['host']).toBe(shown)
  })

  test('with an authentication that its kind does not take is refused', () => {
    expect(checkSettings({ ...database(), auth: 'bearer' })).toEqual({
      faults: [{ path: ['auth'], message: 'postgres takes basic, none' }],
    })
  })

  test.each<[string, ConnectionSettings, ConnectionSettings]>([
    ['the host', http({}), http({ base_url: 'https://evil.example.com/v1/' })],
    ['the scheme', http({}), http({ base_url: 'http://api.example.com/v1/' })],
    ['the path', http({}), http({ base_url: 'https://api.example.com/v2/' })],
    ['the authentication', http({}), http({ user: 'ann' }, 'basic')],
    ['the issuer', oauth(), oauth({ issuer: 'https://evil.example.com' })],
    ['the client', oauth(), oauth({ client_id: 'other' })],
    ['the token endpoint', oauth(ENDPOINTS), oauth({ ...ENDPOINTS, token_endpoint: 'https://evil.example.com/token' })],
    [
      'a client that is written as if the endpoints were a part of it',
      oauth(ENDPOINTS),
      oauth({ client_id: `svc ${Object.values(ENDPOINTS).join(' ')}` }),
    ],
    ['the database host', database(), database({ host: 'evil.example.com' })],
    ['the port', database(), database({ port: 5433 })],
    ['a weaker TLS mode', database(), database({ sslmode: 'disable' })],
    ['the url of tools', tools({}), tools({ url: 'https://evil.example.com/mcp' })],
    ['another mail server', mail(), mail({ host: 'evil.example.com' })],
    ['no TLS for mail', mail({ host: '127.0.0.1' }), mail({ host: '127.0.0.1', tls: 'none' })],
  ])('has another address with %s changed', (_what, before, after) => {
    expect(addressOf(checked(after))).not.toBe(addressOf(checked(before)))
  })

  test('keeps its address with another database, user or path for tests', () => {
    expect(addressOf(checked(database({ database: 'other', user: 'ann' })))).toBe(addressOf(checked(database())))
    expect(addressOf(checked(http({ test_path: 'me' })))).toBe(addressOf(checked(http({}))))
    expect(addressOf(checked(oauth({ scopes: ['read'] })))).toBe(addressOf(checked(oauth())))
  })
})

const OAUTH_FIELDS = ['issuer', 'client_id', 'scopes', 'resource', 'authorization_endpoint', 'token_endpoint']

test('every kind has a JSON Schema that names its fields and no secret', () => {
  expect(CONNECTION_FORMS.map(({ kind, schema }) => [kind, Object.keys(schema['properties'] as object)])).toEqual([
    ['http', [...['base_url', 'user', 'test_path'], ...OAUTH_FIELDS]],
    ['postgres', ['host', 'port', 'database', 'user', 'sslmode']],
    ['prometheus', ['base_url', 'user']],
    ['smtp', ['host', 'port', 'tls', 'user']],
    ['slack', ['base_url']],
    ['s3', ['endpoint', 'region', 'bucket', 'prefix', 'access_key_id', 'path_style']],
    ['mcp', ['url', ...OAUTH_FIELDS]],
  ])
})
