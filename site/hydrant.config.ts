import { defineConfig } from 'hydrant'

export default defineConfig({
  timeouts: {
    // Nothing here loads for long, and whoever tries F15 need not wait ten seconds.
    loadMs: 5_000,
    // The slow stream of F16 takes nearly ten seconds on purpose.
    renderMs: 15_000,
  },
})
