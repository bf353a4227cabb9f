import { defineConfig } from 'hydrant'

export default defineConfig({
  // A function, so `hydrant start` does not load what compiles the documentation.
  esbuild: async () => {
    const { documentation } = await import('./documentation/plugin.ts')
    return { plugins: [documentation()] }
  },
  timeouts: {
    // No page of this site loads for long, and visitors who try F15 should not wait ten seconds.
    loadMs: 5_000,
    // The slow stream of F16 takes nearly ten seconds on purpose.
    renderMs: 15_000,
  },
})
