import { describe, expect, it } from 'vitest'
import { connectionTarget } from '#activities/operators/postgres/connection-target.ts'

const postgres = (url: string) => connectionTarget({ kind: 'postgres', url })
const http = (url: string) => connectionTarget({ kind: 'http', url })

describe('where a connection leads', () => {
  it('to PostgreSQL is what the driver reads: host, port, database, user and further settings, never the password', () => {
    expect(postgres('postgres://ops:s3cret@db.test/shop')).toEqual({
      kind: 'postgres',
      host: 'db.test:5432',
      database: 'shop',
      user: 'ops',
    })
    const many = postgres('postgresql://ops:s3cret@a.test:1,b.test:2/shop?sslmode=require&options=-csearch_path%3Dx')
    expect(many).toMatchObject({
      host: 'a.test:1,b.test:2',
      parameters: { sslmode: 'require', options: '-csearch_path=x' },
    })
    expect(JSON.stringify([many, postgres('postgres://db.test/x?password=s3cret')])).not.toContain('s3cret')
  })

  it('to PostgreSQL is what the session begins with, also where settings of the url replace the user and the database', () => {
    expect(postgres('postgres://ops:s3cret@db.test/shop?user=root&database=ledger')).toMatchObject({
      database: 'ledger',
      user: 'root',
    })
  })

  it.each(['sslpwd=geheim', 'api-key=geheim', 'passwort=geheim', 'options=-c%20x.token%3Dgeheim'])(
    'hides %s',
    (parameter) => {
      expect(JSON.stringify(postgres(`postgres://db.test/shop?${parameter}`))).not.toContain('geheim')
    },
  )

  it.each(['session_replication_role', 'session_authorization', 'password_encryption'])('shows %s', (name) => {
    expect(postgres(`postgres://db.test/shop?${name}=replica`).parameters).toEqual({ [name]: 'replica' })
  })

  it.each([
    'postgres://ops:s3@cret@db.test/shop',
    'postgres://ops:s3/cret@db.test/shop',
    'postgres://ops:12/34@db.test/shop',
    'postgres://ops:s3?cret@db.test/shop',
    'postgres://ops:12?34@db.test/shop',
    'postgres://ops:s3#cret@db.test/shop',
  ])('%s is refused: a piece of the password would be taken for the host', (url) => {
    const refused = expect.objectContaining({ code: 'not_configured', message: expect.stringContaining('@ as %40') })
    expect(() => postgres(url)).toThrow(refused)
  })

  it.each([
    ['postgres://ops:s3%40%2Fcret@db.test/shop', 'db.test:5432'],
    ['postgres://ops:s3:cret@db.test:5433/shop', 'db.test:5433'],
    ['postgres:///shop?user=a@b', 'localhost:5432'],
    ['postgres://ops:s3cret@[2001:470::1]/shop', '[2001:470::1]:5432'],
    ['postgres://ops:s3cret@[::1]:5433/shop', '[::1]:5433'],
  ])('%s leads to %s', (url, host) => expect(postgres(url).host).toContain(host))

  it('over HTTP is the base url and the user', () => {
    expect(http('https://ops:s3cret@api.test:8443/v1/?x=s3cret')).toEqual({
      kind: 'http',
      host: 'api.test:8443',
      base_url: 'https://api.test:8443/v1/',
      user: 'ops',
    })
  })

  it('names no user where a key stands in its place', () => {
    for (const url of ['https://:s3cret@api.test', 'https://s3cret@api.test', 'https://s3cret:@api.test'])
      expect(JSON.stringify(http(url))).not.toContain('s3cret')
  })
})
