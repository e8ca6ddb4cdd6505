import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { codeIn, PAGES, ROOT } from './pages.ts'

const current = PAGES.filter((page) => page !== 'CHANGELOG.md')
const { paths } = JSON.parse(readFileSync(join(ROOT, 'test/pins/openapi.json'), 'utf8')) as {
  paths: Record<string, Record<string, unknown>>
}
/** Method and path with every parameter as `{}`: people write `{id}`, `$RUN` or a name. */
const known = Object.entries(paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => ({ method: method.toUpperCase(), parts: path.split('/') })),
)

function isRoute(method: string, path: string): boolean {
  const bare = path.replace(/[?#].*$/, '').replace(/^\/workspaces\/(?:\{[^}]+\}|…)(?=\/)/, '')
  return [path.replace(/[?#].*$/, ''), bare].some((each) => {
    const parts = each.split('/')
    return known.some(
      (route) =>
        method === route.method &&
        parts.length === route.parts.length &&
        route.parts.every((part, index) => part === parts[index] || (part.startsWith('{') && parts[index] !== '')),
    )
  })
}

const routesIn = (page: string) =>
  codeIn(page).flatMap((code) =>
    [...code.matchAll(/\b((?:GET|POST|PUT|PATCH|DELETE)(?:\|(?:GET|POST|PUT|PATCH|DELETE))*) (\/[^\s]*)/g)].flatMap(
      ([, methods = '', path = '']) => methods.split('|').map((method) => ({ method, path })),
    ),
  )

test.each(current)('every route that %s names is served', (page) => {
  expect(routesIn(page).filter(({ method, path }) => !isRoute(method, path))).toEqual([])
})

test('the pages name routes', () => {
  expect(current.flatMap(routesIn).length).toBeGreaterThan(40)
})
