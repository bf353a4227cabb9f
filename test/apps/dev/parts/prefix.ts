export const prefix = 'first'
