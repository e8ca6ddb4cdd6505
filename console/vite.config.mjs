import { fileURLToPath } from 'node:url'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  // every address in the build is relative: the API puts it below whatever prefix it is reached by
  base: './',
  // what makes elements also makes visible what would change a text without being seen
  plugins: [react({ jsxImportSource: fileURLToPath(new URL('src/lib', import.meta.url)) }), tailwind()],
  build: {
    target: 'es2022',
    // a data: address is no script and no font of ours, so that the policy of the page would refuse it
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    emptyOutDir: true,
    reportCompressedSize: false,
  },
})
