import type { BenchRecord } from '../record.ts'

/** A server with one of these packages uses a framework. The others are written by hand. */
const PACKAGES = ['next', '@fastify/react', '@react-router/serve', '@tanstack/react-start', 'vike']

/** Returns the names of the servers that use a framework. */
export function listFrameworks({ parts: { speed } }: BenchRecord): string[] {
  return Object.entries(speed?.figures.servers ?? {})
    .filter(([, { versions }]) => PACKAGES.some((name) => name in versions))
    .map(([name]) => name)
}
