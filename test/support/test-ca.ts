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
  return {
    certificate: await readFile(at('ca.crt'), 'utf8'),
    /** `names` as OpenSSL writes them: `DNS:shop.test`, `IP:127.0.0.1` */
    async issue(names: string[], days = 20): Promise<{ cert: string; key: string }> {
      issued += 1
      const [key, csr, crt, extensions] = ['key', 'csr', 'crt', 'ext'].map((end) => at(`${issued}.${end}`)) as string[]
      await writeFile(String(extensions), `subjectAltName=${names.join(',')}\n`)
      await run('openssl', ['req', '-new', ...KEY, '-keyout', String(key), '-out', String(csr), '-subj', '/CN=shop'])
      const from = ['-in', String(csr), '-extfile', String(extensions), '-out', String(crt), '-days', String(days)]
      const by = ['-CA', at('ca.crt'), '-CAkey', at('ca.key'), '-CAcreateserial']
      await run('openssl', ['x509', '-req', ...from, ...by])
      return { cert: await readFile(String(crt), 'utf8'), key: await readFile(String(key), 'utf8') }
    },
    stop: () => rm(folder, { recursive: true, force: true }),
  }
}
