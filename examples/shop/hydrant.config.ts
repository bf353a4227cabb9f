import { defineConfig } from 'hydrant'
import { tailwind } from 'hydrant/tailwind'

export default defineConfig({
  esbuild: { plugins: [tailwind()] },
})
