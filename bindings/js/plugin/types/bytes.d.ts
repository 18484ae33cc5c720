import type { Reflection } from 'planish';

/** A stage of a program. */
interface Stage {
    /** The program in bytes. */
    readonly code: Uint8Array<ArrayBuffer>;
    /** Its interface. */
    readonly reflection: Reflection;
}

/** A program in bytes. */
interface Imported extends Stage {
    /** All stages, if the query names others by `with`. */
    readonly stages?: { readonly vertex?: Stage; readonly fragment?: Stage; readonly compute?: Stage };
}

export declare const code: Stage['code'];
export declare const reflection: Stage['reflection'];
export declare const stages: Imported['stages'];
declare const imported: Imported;
export default imported;
