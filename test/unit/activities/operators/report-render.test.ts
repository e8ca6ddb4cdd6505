import { describe, expect, it } from 'vitest'
import { reportRender } from '#activities/operators/report/render.ts'
import type { JsonObject } from '#core/json/json.ts'
import { operatorContext } from '#test/support/operator-context.ts'

const render = (input: JsonObject) => reportRender.execute(operatorContext(), reportRender.parse(input))

describe('report.render', () => {
  it('writes title and body over the run and the data as a Markdown artifact', async () => {
    const result = await render({
      title: 'Recovery of {{ inputs.url }}',
      body: '{% for s in steps %}{{ s[0] }}: {{ s[1].status }}\n{% endfor %}{{ data.note | upcase }} {{ note }} {{ run.id }}',
      data: { note: 'done', run: 'not the run' },
      scope: { inputs: { url: 'http://x' }, steps: { act: { status: 'succeeded' } }, run: { id: 'run_1' } },
    })
    const body = '# Recovery of http://x\n\nact: succeeded\nDONE done run_1\n'
    expect(result.artifacts).toEqual([{ name: 'report.md', media_type: 'text/markdown', body }])
    expect(result.outputs).toEqual({ artifact: 'report.md', bytes: Buffer.byteLength(body) })
  })

  it.each([
    ['# Own heading\n\ntext', '# Own heading\n\ntext\n'],
    ['#1 of two', '# t\n\n#1 of two\n'],
    ['## A part\n\ntext', '# t\n\n## A part\n\ntext\n'],
  ])('a body %j has one heading', async (body, report) => {
    expect((await render({ title: 't', body, scope: {} })).artifacts?.[0]?.body).toBe(report)
  })

  it.each(['\n', '\r\n', '\u2028', '\u0085', '\n\n\n'])(
    'a value with %j stays on its line, also in a list',
    async (end) => {
      const forged = `month end${end}## Who decided${end}- boss: approve`
      const body =
        'Because: {{ inputs.reason }}\n\n{{ inputs.all }}\n\n{% for each in inputs.all %}- {{ each }}\n{% endfor %}'
      const scope = { inputs: { reason: forged, all: [forged] } }
      const line = 'month end ## Who decided - boss: approve'
      const report = `# t\n\nBecause: ${line}\n\n${line}\n\n- ${line}\n`
      expect((await render({ title: 't', body, scope })).artifacts?.[0]?.body).toBe(report)
    },
  )

  it('a code block keeps lines, and nothing in them ends it', async () => {
    const text = 'a\n```\n## Who decided\n````\nb\n'
    const report = (await render({ title: 't', body: '{{ data.text | code_block: "diff" }}', data: { text } }))
      .artifacts
    expect(report?.[0]?.body).toBe('# t\n\n`````diff\na\n```\n## Who decided\n````\nb\n`````\n')
  })

  it('asks the engine for the run as scope', () => expect(reportRender.wants_scope).toBe(true))

  it.each([
    [
      '{{ steps.look.outputs.rows[0].a }} {{ inputs.x }}',
      [['steps', 'look', 'outputs', 'rows'], ['inputs', 'x'], ['run']],
    ],
    ['{% for r in steps["a b"].outputs %}{{ r.steps }}{% endfor %}', [['steps', 'a b', 'outputs'], ['run']]],
    ['{% assign s = steps %}{{ s.look }}', [['steps'], ['run']]],
    ['{{ steps[inputs.x].outputs }}', [['steps'], ['inputs', 'x'], ['run']]],
    ['$' + '{{ inputs.x }}', [['steps'], ['run']]],
    ['{{ inputs.l | where_exp: "i", "steps.act.ok" | size }}', [['steps'], ['run']]],
    ['{% if %}', [['steps'], ['run']]],
  ])('%s reads %j', (body, paths) => {
    const read = reportRender.reads_of_scope?.({ title: '{{ run }}', body })
    expect(read).toEqual(expect.arrayContaining(paths))
    expect(read).toHaveLength(paths.length)
  })

  it.each([
    '{{ data.constructor.name }}',
    '{{ data.__proto__ }}',
    '{{ data.toString }}',
    '{{ inputs.constructor.constructor }}',
  ])('%s reaches nothing', async (body) => {
    const result = await render({ title: 't', body, data: { a: 1 }, scope: { inputs: {} } })
    expect(result.artifacts?.[0]?.body).toBe('# t\n\n\n')
  })

  it.each([
    "{% include '/etc/passwd' %}",
    "{% render 'package.json' %}",
    "{% layout 'x' %}",
    '{% for i in (1..100000000) %}x{% endfor %}',
    '{% for i in (1..9000) %}{% for j in (1..9000) %}{% for k in (1..9000) %}{% endfor %}{% endfor %}{% endfor %}',
    '{{ 1 | nofilter }}',
    '{% if %}',
  ])('%s is refused', async (body) => {
    await expect(render({ title: 't', body })).rejects.toMatchObject({ code: 'report_invalid' })
  })

  it('a report beyond 1 MiB is refused', async () => {
    const data = { long: 'x'.repeat(200_000) }
    const work = render({ title: 't', body: '{{ long }}{{ long }}{{ long }}{{ long }}{{ long }}{{ long }}', data })
    await expect(work).rejects.toMatchObject({ code: 'report_too_large' })
  })
})
