export const word = 'word'
