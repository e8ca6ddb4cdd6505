import type { Request } from 'playwright-core'
import { apiDocument } from './api-document.ts'

const PATHS = Object.entries(apiDocument().paths).map(([path, operations]) => ({
  path,
  methods: Object.keys(operations),
  pattern: new RegExp(`^${path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{[^}]+\}/g, '[^/]+')}$`),
}))

/** Whether what a page asked of its server stands in the description of the API; files of the build are no part of that. */
export function isDescribed(request: Request): boolean {
  const { pathname } = new URL(request.url())
  if (request.isNavigationRequest() || /^\/console\/assets\/[^/]+$/.test(pathname))
    return pathname.startsWith('/console')
  const method = request.method().toLowerCase()
  return PATHS.some(({ pattern, methods }) => methods.includes(method) && pattern.test(pathname))
}
