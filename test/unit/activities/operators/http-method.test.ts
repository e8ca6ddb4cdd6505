import { describe, expect, it } from 'vitest'
import { isHttpRead } from '#activities/operators/http/method.ts'
import { createHttpRequest } from '#activities/operators/http/request.ts'
import { createHttpVerify } from '#activities/operators/http/verify.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { startCanary } from '#test/support/canary.ts'
import { operatorContext } from '#test/support/operator-context.ts'

const url = 'https://api.example.test/items/7'
const egress = createEgressClient()
const request = createHttpRequest({ egress })
const verify = createHttpVerify({ egress })

const HEADERS = [
  'X-HTTP-Method-Override',
  'x-http-method',
  'X-Method-Override',
  'X_HTTP_METHOD_OVERRIDE',
  'X-HTTP-Verb',
]
const QUERIES = [
  '_method=DELETE',
  'a=1&_METHOD=delete',
  '%5fmethod=DELETE',
  '.method=DELETE',
  'X-HTTP-Method-Override=PUT',
  '_method=GET#part',
]

describe('a GET that asks for another method', () => {
  it.each(HEADERS)('by the header %s is a write, and no poll', (name) => {
    for (const method of ['GET', 'HEAD']) {
      const input = request.parse({ method, url, headers: { [name]: 'DELETE' } })
      expect(request.actionType?.(input)).toBe('http.write')
    }
    const poll = { url, until: 'response.status == 200', headers: { [name]: 'DELETE' } }
    expect(() => verify.parse(poll)).toThrow(/another method than GET/)
  })

  it.each(QUERIES)('by the query %s is a write, and no poll', (query) => {
    const input = request.parse({ method: 'GET', url: `${url}?${query}` })
    expect(request.actionType?.(input)).toBe('http.write')
    expect(() => verify.parse({ url: `${url}?${query}`, until: 'response.status == 200' })).toThrow(/another method/)
    const relative = request.parse({ method: 'GET', url: `/items?${query}`, connection: 'api' })
    expect(request.actionType?.(relative)).toBe('http.write')
  })

  it('carries an idempotency key and follows no redirect, like every write', async () => {
    const elsewhere = await startCanary()
    const target = await startCanary((_request, response) => response.writeHead(302, { location: elsewhere.url }).end())
    const input = request.parse({ method: 'GET', url: target.url, headers: { 'x-http-method': 'DELETE' } })
    await expect(request.execute(operatorContext({ egress: ['loopback'] }), input)).rejects.toMatchObject({
      code: 'redirected',
    })
    expect(target.requests[0]?.headers['idempotency-key']).toBe('run_1:act')
    expect(elsewhere.requests).toEqual([])
    await target.stop()
    await elsewhere.stop()
  })
})

describe('a plain GET', () => {
  it.each([
    [{ method: 'GET', url }, true],
    [{ method: 'HEAD', url: `${url}?q=_method&page=2`, headers: { accept: 'text/plain', 'x-request-id': '1' } }, true],
    [{ method: 'GET', url: `${url}?method=list` }, true],
    [{ method: 'POST', url }, false],
    [{ method: 'OPTIONS', url }, false],
    // as a plan sees it before anything is rendered
    [{ method: `\${{ inputs.method }}`, url }, false],
    [{ method: 'GET', url: `\${{ inputs.url }}/health` }, true],
    [{ method: 'GET', url, headers: `\${{ inputs.headers }}` }, false],
  ])('%j reads: %s', (input, reads) => {
    expect(isHttpRead(input)).toBe(reads)
  })
})
