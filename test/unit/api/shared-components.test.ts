import { expect, test } from 'vitest'
import { dereferenced, withSharedComponents } from '#api/shared-components.ts'

const refusal = (description: string) => ({ description, content: {} })
const limit = (maximum: number) => ({ name: 'limit', in: 'query', schema: { type: 'integer', maximum } })
const ETAG = { description: 'Changes with the record', schema: { type: 'string' } }

const operation = (maximum: number, conflict: string) => ({
  parameters: [limit(maximum)],
  responses: {
    200: { description: 'Fine', headers: { ETag: ETAG } },
    404: refusal('`not_found`'),
    409: refusal(conflict),
  },
})
const DESCRIPTION = {
  paths: {
    '/a': { get: operation(200, '`conflict`, `run_terminal`') },
    '/b': { get: operation(200, 'Written out; or `conflict`') },
    '/c': { get: operation(50, 'Written out; or `conflict`') },
  },
}

test('what operations repeat stands once, and they refer to it', () => {
  const { components, paths } = withSharedComponents(DESCRIPTION)
  expect(components).toEqual({
    headers: { ETag: ETAG },
    parameters: { Limit: limit(200) },
    responses: { NotFound: refusal('`not_found`') },
  })
  expect(paths).toHaveProperty(['/a', 'get'], {
    parameters: [{ $ref: '#/components/parameters/Limit' }],
    responses: {
      200: { description: 'Fine', headers: { ETag: { $ref: '#/components/headers/ETag' } } },
      404: { $ref: '#/components/responses/NotFound' },
      409: refusal('`conflict`, `run_terminal`'),
    },
  })
})

test('what one operation has, or says in its own words, stays there', () => {
  const { paths } = withSharedComponents(DESCRIPTION)
  expect(paths).toHaveProperty(['/c', 'get', 'parameters'], [limit(50)])
  expect(paths).toHaveProperty(['/c', 'get', 'responses', '409'], refusal('Written out; or `conflict`'))
})

test('where operations disagree about a name, none of them takes it', () => {
  const paths = { '/a': { get: operation(200, '`conflict`') }, '/b': { get: operation(50, '`conflict`') } }
  expect(withSharedComponents({ paths }).components).toMatchObject({ parameters: {} })
})

test('a reference leads to what it stands for', () => {
  const description = withSharedComponents(DESCRIPTION)
  expect(dereferenced(description, { $ref: '#/components/responses/NotFound' })).toEqual(refusal('`not_found`'))
  expect(dereferenced(description, limit(50))).toEqual(limit(50))
})
