/**
 * Thrown where the value of a field breaks the schema's word, or an argument has no value. The compiled program only knows how to succeed:
 * whatever goes wrong is given to the reference executor, which finds it again and says it as the specification has it.
 */
export class NotCompiled extends Error {}
