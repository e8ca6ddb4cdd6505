import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']

/** A certificate authority of OpenSSL in a folder of its own. */
export async function startTestCa(name = 'svc test root') {
  const folder = await mkdtemp(join(tmpdir(), 'svc-ca-'))
  const at = (file: string) => join(folder, file)
  const subject = ['-subj', `/O=svc tests/CN=${name}`]
  await run('openssl', [
    'req',
    '-x509',
    ...KEY,
    '-keyout',
    at('ca.key'),
    '-out',
    at('ca.crt'),
    '-days',
    '30',
    ...subject,
  ])
  let issued = 0
  /** Signs a request; `names` stand in the certificate in place of those of the request. */
  async function sign(csr: string, { names, days = 20 }: { names?: string[] | undefined; days?: number } = {}) {
    issued += 1
    const [request, crt, extensions] = ['csr', 'crt', 'ext'].map((end) => at(`${issued}.${end}`)) as [
      string,
      string,
      string,
    ]
    await writeFile(request, csr)
    await writeFile(extensions, names === undefined ? '' : `subjectAltName=${names.join(',')}\n`)
    const extended = names === undefined ? ['-copy_extensions', 'copy'] : ['-extfile', extensions]
    const from = ['-in', request, ...extended, '-out', crt, '-days', String(days)]
    await run('openssl', ['x509', '-req', ...from, '-CA', at('ca.crt'), '-CAkey', at('ca.key'), '-CAcreateserial'])
    return await readFile(crt, 'utf8')
  }
  return {
    certificate: await readFile(at('ca.crt'), 'utf8'),
    sign,
    /** `names` as OpenSSL writes them: `DNS:shop.test`, `IP:127.0.0.1` */
    async issue(names: string[], days = 20): Promise<{ cert: string; key: string }> {
      const { csr, key } = await makeRequest(['DNS:shop'])
      return { cert: await sign(csr, { names, days }), key }
    },
    stop: () => rm(folder, { recursive: true, force: true }),
  }
}

/** A new private key, and a request for a certificate with these names. */
export async function makeRequest(names: string[]): Promise<{ csr: string; key: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-request-'))
  try {
    const [key, csr] = [join(folder, 'key'), join(folder, 'csr')]
    const extension = ['-subj', '/CN=shop', '-addext', `subjectAltName=${names.join(',')}`]
    await run('openssl', ['req', '-new', ...KEY, '-keyout', key, '-out', csr, ...extension])
    return { csr: await readFile(csr, 'utf8'), key: await readFile(key, 'utf8') }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
