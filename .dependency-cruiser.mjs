/** Imports among our own files, types included: none leads back to where it began. */
export default {
  forbidden: [{ name: 'no-circular', severity: 'error', from: {}, to: { circular: true } }],
  options: {
    includeOnly: '^(core|store|platform|services|workflows|activities|workers|api|cli|client|console/src)/',
    exclude: 'generated\\.ts$',
    parser: 'swc',
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { extensions: ['.ts', '.tsx', '.mjs', '.json'] },
  },
}
