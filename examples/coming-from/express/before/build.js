import { build } from 'esbuild'

const shared = { bundle: true, format: 'esm', jsx: 'automatic' }

await build({
  ...shared,
  entryPoints: ['src/server.jsx'],
  outdir: 'dist',
  platform: 'node',
  packages: 'external',
})
await build({
  ...shared,
  entryPoints: ['src/client.jsx'],
  outdir: 'dist/public',
  minify: true,
  define: { 'process.env.NODE_ENV': '"production"' },
})
