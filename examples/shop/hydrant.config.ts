import { defineConfig } from 'hydrant'
import { tailwind } from 'hydrant/tailwind'

export default defineConfig({
  identifyVisitor: (request) => (request.session.get('isStaff') ? 'staff' : null),
  esbuild: { plugins: [tailwind()] },
})
