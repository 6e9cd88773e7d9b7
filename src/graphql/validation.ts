import {
  type ASTNode,
  type ASTVisitFn,
  type ASTVisitor,
  assertValidSchema,
  BREAK,
  DeferStreamDirectiveOnRootFieldRule,
  DeferStreamDirectiveOnValidOperationsRule,
  type DocumentNode,
  ExecutableDefinitionsRule,
  GraphQLError,
  type GraphQLSchema,
  isExecutableDefinitionNode,
  isRequiredArgument,
  Kind,
  KnownArgumentNamesRule,
  LoneAnonymousOperationRule,
  MaxIntrospectionDepthRule,
  NoFragmentCyclesRule,
  NoSchemaIntrospectionCustomRule,
  NoUndefinedVariablesRule,
  NoUnusedFragmentsRule,
  NoUnusedVariablesRule,
  OverlappingFieldsCanBeMergedRule,
  ProvidedRequiredArgumentsRule,
  parse,
  type SelectionSetNode,
  SingleFieldSubscriptionsRule,
  TypeInfo,
  UniqueArgumentNamesRule,
  UniqueDirectivesPerLocationRule,
  UniqueFragmentNamesRule,
  UniqueOperationNamesRule,
  UniqueVariableNamesRule,
  ValidationContext,
  type ValidationRule,
  VariablesInAllowedPositionRule,
  validate,
} from 'graphql';
import { walk } from './walk-document.ts';

interface Options {
  readonly schema: GraphQLSchema;
  readonly rules: readonly ValidationRule[];
  readonly maxErrors: number;
  /** Whether errors leave out "did you mean …". */
  readonly hideSuggestions: boolean;
}

/** @returns the errors of a document; none where it is valid */
export type Validate = (document: DocumentNode) => readonly GraphQLError[];

/**
 * Validates as `validate` of graphql-js does: the same rules, the same errors, in the same order. That function asks each rule for each document
 * what it does with each kind of node, which is most of its time. Here the rules are asked once, and one that can find nothing in a document, or at a
 * node, is left out there: docs/fast-path.md has the figures.
 */
export const createValidation = ({ schema, rules, maxErrors, hideSuggestions }: Options): Validate => {
  assertValidSchema(schema);
  const phasesOf = askRules(schema, rules);
  const plans = new Map<number, Plan>();

  const planFor = (traits: number): Plan => {
    let plan = plans.get(traits);
    if (!plan) {
      plan = phasesOf((rule) => isNeeded(rule, traits));
      plans.set(traits, plan);
    }
    return plan;
  };

  return (document) => {
    // Never valid. What the rules do with definitions of types and directives is left to graphql-js.
    if (!document.definitions.every(isExecutableDefinitionNode)) {
      return validate(schema, document, rules, { maxErrors, hideSuggestions });
    }
    const errors: GraphQLError[] = [];
    const typeInfo = new TypeInfo(schema);
    const report = (error: GraphQLError): void => {
      if (errors.length >= maxErrors) throw new GraphQLError(TOO_MANY);
      errors.push(error);
    };
    const traits = traitsOf(document);
    const { entering, leaving } = planFor(traits);
    const context = new Context(schema, document, typeInfo, report, { hideSuggestions });
    context.hasVariables = (traits & (1 << VARIABLES)) !== 0;
    const visitors = new Array<ASTVisitor | undefined>(rules.length).fill(undefined);
    /** By rule: the node below which it sees nothing, or BREAK. */
    const skipped = new Array<unknown>(rules.length).fill(undefined);
    let skips = 0;

    const visitorOf = (index: number): ASTVisitor => {
      visitors[index] ??= (rules[index] as ValidationRule)(context);
      return visitors[index];
    };

    const enter: ASTVisitFn<ASTNode> = (node, key, parent, path, ancestors) => {
      typeInfo.enter(node);
      for (const { index, concerns } of entering[node.kind]) {
        if (skipped[index] !== undefined || concerns?.(node, typeInfo) === false) continue;
        const visitor = visitorOf(index);
        const result = functionOf(visitor, node.kind, 'enter')?.call(visitor, node, key, parent, path, ancestors);
        if (result !== false && result !== BREAK) continue;
        skipped[index] = result === BREAK ? BREAK : node;
        skips += 1;
      }
    };

    const leave: ASTVisitFn<ASTNode> = (node, key, parent, path, ancestors) => {
      for (const { index, concerns } of leaving[node.kind]) {
        if (skipped[index] !== undefined || concerns?.(node, typeInfo) === false) continue;
        const visitor = visitorOf(index);
        const result = functionOf(visitor, node.kind, 'leave')?.call(visitor, node, key, parent, path, ancestors);
        if (result !== BREAK) continue;
        skipped[index] = BREAK;
        skips += 1;
      }
      for (let index = 0; skips > 0 && index < skipped.length; index += 1) {
        if (skipped[index] !== node) continue;
        skipped[index] = undefined;
        skips -= 1;
      }
      typeInfo.leave(node);
    };

    try {
      walk(document, enter, leave);
    } catch (error) {
      // Too many errors, or a rule has given up a document that takes it too long.
      if (!(error instanceof GraphQLError)) throw error;
      errors.push(error);
    }
    return errors;
  };
};

const TOO_MANY = 'Too many validation errors, error limit reached. Validation aborted.';

/** Something that most documents do not have, and without which some rules find nothing. */
interface Trait {
  /** @param text of the document */
  readonly isIn: (text: string, document: DocumentNode) => boolean;
  readonly rules: readonly ValidationRule[];
}

const VARIABLES = 0;

const TRAITS: readonly Trait[] = [
  {
    isIn: (text) => text.includes('$'),
    rules: [UniqueVariableNamesRule, NoUndefinedVariablesRule, NoUnusedVariablesRule, VariablesInAllowedPositionRule],
  },
  {
    isIn: (text) => text.includes('@'),
    rules: [
      UniqueDirectivesPerLocationRule,
      DeferStreamDirectiveOnRootFieldRule,
      DeferStreamDirectiveOnValidOperationsRule,
    ],
  },
  {
    isIn: (text) => text.includes('fragment'),
    rules: [UniqueFragmentNamesRule, NoUnusedFragmentsRule, NoFragmentCyclesRule],
  },
  { isIn: (text) => text.includes('subscription'), rules: [SingleFieldSubscriptionsRule] },
  { isIn: (text) => text.includes('__'), rules: [MaxIntrospectionDepthRule, NoSchemaIntrospectionCustomRule] },
  {
    isIn: (_, { definitions }) => definitions.length > 1,
    rules: [UniqueOperationNamesRule, LoneAnonymousOperationRule],
  },
  // Such a document is not validated here.
  { isIn: () => false, rules: [ExecutableDefinitionsRule] },
];

/** A bit for each of {@link TRAITS}. */
const traitsOf = (document: DocumentNode): number => {
  const text = document.loc?.source.body;
  let traits = 0;
  for (let index = 0; index < TRAITS.length; index += 1) {
    if (text === undefined || TRAITS[index]?.isIn(text, document)) traits |= 1 << index;
  }
  return traits;
};

const isNeeded = (rule: ValidationRule, traits: number): boolean =>
  TRAITS.every((trait, index) => (traits & (1 << index)) !== 0 || !trait.rules.includes(rule));

/** Whether a rule can find anything at a node. The type information is that of the node. */
type Concerns = (node: ASTNode, typeInfo: TypeInfo) => boolean;

/** By rule and kind of node: as the rule itself decides first of all, but without creating the rule. */
const CONCERNS: ReadonlyMap<ValidationRule, Readonly<Partial<Record<Kind, Concerns>>>> = new Map([
  [
    ProvidedRequiredArgumentsRule,
    { [Kind.FIELD]: (_, typeInfo) => typeInfo.getFieldDef()?.args.some(isRequiredArgument) === true },
  ],
  [KnownArgumentNamesRule, { [Kind.ARGUMENT]: (_, typeInfo) => !typeInfo.getArgument() }],
  [
    UniqueArgumentNamesRule,
    { [Kind.FIELD]: (node) => 'arguments' in node && node.arguments !== undefined && node.arguments.length > 1 },
  ],
  [OverlappingFieldsCanBeMergedRule, { [Kind.SELECTION_SET]: (node) => mayMerge(node as SelectionSetNode) }],
]);

/** Whether two selections of a set may be of one response key. */
const mayMerge = ({ selections }: SelectionSetNode): boolean => {
  const keys = new Set<string>();
  for (const selection of selections) {
    if (selection.kind !== Kind.FIELD) return true;
    keys.add((selection.alias ?? selection.name).value);
  }
  return keys.size < selections.length;
};

/** Rules that do something at a node, by its kind. */
type RulesOfKinds = Readonly<
  Record<Kind, readonly { readonly index: number; readonly concerns: Concerns | undefined }[]>
>;

interface Plan {
  readonly entering: RulesOfKinds;
  readonly leaving: RulesOfKinds;
}

/**
 * Asks the rules which of them do something where a node is entered, and where it is left. A rule does so for every document, or for none.
 * @returns the plan for a part of the rules
 */
const askRules = (
  schema: GraphQLSchema,
  rules: readonly ValidationRule[],
): ((isPart: (rule: ValidationRule) => boolean) => Plan) => {
  const context = new ValidationContext(schema, parse('{ __typename }'), new TypeInfo(schema), () => {});
  const visitors = rules.map((rule) => ({ rule, visitor: rule(context), concerns: CONCERNS.get(rule) }));
  return (isPart) => {
    const ofPhase = (phase: Phase): RulesOfKinds => {
      const ofKind = (kind: Kind) =>
        visitors.flatMap(({ rule, visitor, concerns }, index) =>
          isPart(rule) && functionOf(visitor, kind, phase) ? [{ index, concerns: concerns?.[kind] }] : [],
        );
      return Object.fromEntries(Object.values(Kind).map((kind) => [kind, ofKind(kind)])) as unknown as RulesOfKinds;
    };
    return { entering: ofPhase('enter'), leaving: ofPhase('leave') };
  };
};

type Phase = 'enter' | 'leave';

/** As `getEnterLeaveForKind` of graphql-js, without an object for each look-up. */
const functionOf = (visitor: ASTVisitor, kind: Kind, phase: Phase): ASTVisitFn<ASTNode> | undefined => {
  const own = (visitor as Readonly<Record<string, unknown>>)[kind];
  if (typeof own === 'function') return phase === 'enter' ? (own as ASTVisitFn<ASTNode>) : undefined;
  return ((own ?? visitor) as Readonly<Partial<Record<Phase, ASTVisitFn<ASTNode>>>>)[phase];
};

/** Three rules ask for the variables that an operation uses, and each walk through it takes 5 µs. */
class Context extends ValidationContext {
  hasVariables = true;

  override getVariableUsages(node: Parameters<ValidationContext['getVariableUsages']>[0]) {
    return this.hasVariables ? super.getVariableUsages(node) : [];
  }
}
