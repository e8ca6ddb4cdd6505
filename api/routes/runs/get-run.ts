import { Run } from '#core/run/schema.ts'
import { isoTime } from '#core/time.ts'
import { getRun } from '#services/runs/get-run.ts'
import { reportText } from '#services/runs/report-text.ts'
import { defineRoute, HTML_PAGE, ok } from '../../define-route.ts'
import { inPlaceOfData, readerOf, refusalPage, showPage, wantsPage } from '../../page-sign-in.ts'
import { runPage } from '../../run-page.ts'
import { RunParams } from '../../schemas/params.ts'

export const getRunRoute = defineRoute(
  {
    operationId: 'getRun',
    method: 'get',
    path: '/runs/{id}',
    tags: ['runs'],
    access: 'read',
    auth: 'user',
    summary: 'Read a run with its provenance and live progress',
    description:
      'A browser (`Accept: text/html`) gets a page: it is where the links in messages lead. Whoever is not signed in there is led to the sign-in.',
    verify: readerOf,
    refusal: refusalPage,
    refusal_pages: ['unauthenticated', 'not_found'],
    request: { params: RunParams },
    responses: { 200: { ...ok(Run, 'The run'), content: { 'application/json': { schema: Run }, ...HTML_PAGE } } },
  },
  async (c) => {
    const run = await getRun(c.get('ctx'), c.req.valid('param').id)
    c.header('vary', 'Accept')
    if (!wantsPage(c)) return c.json(run, 200)
    const report = await reportText(c.get('ctx'), run.id)
    return inPlaceOfData(showPage(c, runPage(run, isoTime(c.get('deps').services.clock()), report)))
  },
)
