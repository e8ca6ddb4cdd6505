import type { Command } from 'commander'
import { visibleJson } from '#core/text/visible-text.ts'
import type { CliDeps } from '../deps.ts'

/** `svc logout`: forgets the kept token and, where the API answers, ends every session of the caller. */
export function registerLogout(program: Command, deps: CliDeps): void {
  program
    .command('logout')
    .description('forget the kept token; where the API answers, all of your sessions end')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const api = deps.api()
      const kept = await deps.credentials().find(api.url)
      const revoked =
        kept !== undefined &&
        (await api.logout(kept.access_token).then(
          () => true,
          () => false,
        ))
      const forgotten = await deps.credentials().forget(api.url)
      if (json) return deps.out(visibleJson({ url: api.url, forgotten, revoked }))
      if (!forgotten) return deps.out(`there was no login to ${api.url}`)
      deps.out(`logged out of ${api.url}`)
      if (!revoked) deps.err('the API did not revoke the token: it stays good until it expires')
    })
}
