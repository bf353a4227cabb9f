export * from 'plain-cjs'
export * from './named.cjs'
export const own = 'own'
