import type { createClient, Schema } from '#client/create-client.ts'
import { bodyOf } from './api-answers.ts'

/** What the API says of a start before there is one. */
export function createApiAsk(client: ReturnType<typeof createClient>) {
  return {
    contract: (pack: string, tpl: string, environment?: string) =>
      bodyOf(
        client.GET('/packs/{pack}/{tpl}/contract', {
          params: { path: { pack, tpl }, query: environment === undefined ? {} : { environment } },
        }),
      ),
    checkInputs: (pack: string, tpl: string, body: Schema<'InputsQuestion'>) =>
      bodyOf(client.POST('/packs/{pack}/{tpl}/validate', { params: { path: { pack, tpl } }, body })),
    preflight: (pack: string, tpl: string, body: Schema<'PreflightQuestion'>) =>
      bodyOf(client.POST('/packs/{pack}/{tpl}/preflight', { params: { path: { pack, tpl } }, body })),
  }
}
