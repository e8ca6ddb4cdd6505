import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import './app.css'
import { router } from './app/router.tsx'
import { ApiError } from './lib/api.ts'
import { showTheme } from './lib/theme.ts'

/** An error is an answer; only calls without an answer are retried. */
const retry = (count: number, error: Error) =>
  count < 2 && (!(error instanceof ApiError) || error.status === 0 || error.status >= 502)

showTheme()
const client = new QueryClient({
  // without a network a call fails and says so, in place of waiting for one
  defaultOptions: { queries: { retry, networkMode: 'always' }, mutations: { networkMode: 'always' } },
})
const root = document.getElementById('root')
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  )
