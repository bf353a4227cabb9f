import { defineConfig } from 'hydrant'

export default defineConfig({ pageCache: { header: true } })
