import {
  type ArgumentNode,
  coerceInputLiteral,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  type ValueNode,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { AppError } from '../errors.ts';
import { checkBounds } from '../graphql/arguments.ts';

/**
 * Finds what every request that leaves its parameters out would be refused for: an argument, or the default of a variable that feeds one,
 * that is out of the argument's bounds. Validation knows types, but not bounds.
 * @throws GraphQLError
 */
export const checkArguments = (
  document: DocumentNode,
  operation: OperationDefinitionNode,
  schema: GraphQLSchema,
): void => {
  const defaults = new Map(
    operation.variableDefinitions?.map(({ variable, defaultValue }) => [variable.name.value, defaultValue]),
  );
  const typeInfo = new TypeInfo(schema);
  const check = (node: ArgumentNode): void => {
    const argument = typeInfo.getArgument();
    const literal: ValueNode | undefined =
      node.value.kind === Kind.VARIABLE ? defaults.get(node.value.name.value) : node.value;
    if (!argument || !literal) return;
    if (literal.kind === Kind.NULL) {
      if (!isNonNullType(argument.type)) return;
      throw new GraphQLError(`Argument "${argument.name}" may not be null.`, { nodes: literal });
    }
    try {
      checkBounds(argument, coerceInputLiteral(literal, argument.type));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      throw new GraphQLError(error.message, { nodes: literal });
    }
  };
  visit(document, visitWithTypeInfo(typeInfo, { Argument: check }));
};
